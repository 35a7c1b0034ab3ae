import type { EmailTurn } from './email-conversations.ts'

type At = EmailTurn['at']

/** A rep's manual LinkedIn steps for a prospect of the campaign `linkedin`. */
export type Invitation = {
  with: string
  /** When the invitation was sent; absent while the task is open. */
  invitedAt?: At
  acceptedAt?: At
  /** When the message was sent; its text is that of the conversation, if there is one. */
  messagedAt?: At
  /** The rep has an open task. */
  isOpen?: true
}

export const acmeInvitations: Invitation[] = [
  { with: 'yoko.sasaki', invitedAt: [10, '08:10'], acceptedAt: [8, '02:15'], messagedAt: [6, '08:05'] },
  { with: 'xiaotong.wang', invitedAt: [10, '07:20'], acceptedAt: [9, '03:40'], messagedAt: [7, '07:10'] },
  {
    with: 'eleni.papadopoulou',
    invitedAt: [10, '09:30'],
    acceptedAt: [10, '12:02'],
    messagedAt: [8, '09:00'],
  },
  { with: 'anita.deshpande', invitedAt: [9, '06:10'], acceptedAt: [5, '04:30'], messagedAt: [3, '06:15'] },
  { with: 'nino.kapanadze', invitedAt: [9, '10:00'], acceptedAt: [2, '10:05'] },
  {
    with: 'giorgos.karagiannis',
    invitedAt: [9, '09:45'],
    acceptedAt: [7, '08:00'],
    messagedAt: [5, '09:10'],
  },
  { with: 'jianhong.liu', invitedAt: [8, '07:25'], acceptedAt: [2, '05:00'], isOpen: true },
  { with: 'rajesh.kulkarni', invitedAt: [8, '06:20'], acceptedAt: [3, '09:00'], isOpen: true },
  { with: 'sakura.nakamura', invitedAt: [7, '08:30'] },
  { with: 'siyuan.zhao', invitedAt: [7, '07:40'] },
  { with: 'priya.joshi', invitedAt: [6, '06:25'] },
  { with: 'kenichiro.takahashi', isOpen: true },
  { with: 'giorgi.beridze', isOpen: true },
]
