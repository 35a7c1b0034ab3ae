/**
 * Returns SQL that selects the name or address of a user in an account, given SQL for both IDs. For a former member, it
 * selects the one that they had when they were removed.
 */
export const selectMember = (field: 'name' | 'email', accountId: string, userId: string): string => `
  coalesce((select u.${field} from users u where u.id = ${userId}),
           (select f.${field} from former_members f where f.account_id = ${accountId} and f.user_id = ${userId}))`
