-- Two people who answer the same mail don't see each other's drafts: a draft remembers up to when its writer knew the
-- conversation, so that sending it can be refused when another answer went out since. Drafts written before this
-- migration are judged by their last edit.
alter table email_messages add column thread_seen_at timestamptz(3);
alter table linkedin_messages add column conversation_seen_at timestamptz(3);
