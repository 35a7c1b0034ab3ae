import type { messageTypes } from '../../contract/inbox.ts'

type LinkedinTurn = {
  type: (typeof messageTypes)[number]
  /** Days before the demo's first start, and the time in UTC. */
  at: [daysAgo: number, time: string]
  text: string
  isDraft?: true
  /** A draft that the rep has a task to send. */
  hasTask?: true
  isUnread?: true
}

export type LinkedinConversation = {
  campaign: string
  /** Slug of the person. */
  with: string
  tags?: string[]
  turns: LinkedinTurn[]
}

export const acmeLinkedin: LinkedinConversation[] = [
  {
    campaign: 'pharma',
    with: 'wesley.okoro',
    tags: ['Interested'],
    turns: [
      {
        type: 'manual',
        at: [13, '15:20'],
        text: 'Hello Wesley, one question about the night runs to Bend: who reads the temperatures when they arrive?',
      },
      { type: 'received', at: [13, '22:41'], text: 'Me, at five in the morning. Why?' },
      {
        type: 'manual',
        at: [12, '08:30'],
        text: 'Because a report could wait for you at five instead. May I send you one of ours to look at?',
      },
      {
        type: 'received',
        at: [1, '23:05'],
        text: 'Sure. Coffee would be better, but send it.',
        isUnread: true,
      },
      {
        type: 'manual',
        at: [1, '23:40'],
        isDraft: true,
        hasTask: true,
        text: 'It is on its way, Wesley: page two is the night run. The coffee is on me when I am in Bend in March.',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'adebisi.olawale',
    tags: ['Meeting booked'],
    turns: [
      {
        type: 'manual',
        at: [14, '10:02'],
        text: 'Hello Adébísí, your talk about solar cold rooms stayed with me. Do you measure on the motorcycles, too?',
      },
      {
        type: 'received',
        at: [13, '19:30'],
        text: 'Thank you! Not yet, the last mile is blind. Can your logger live in a box on a motorcycle?',
      },
      {
        type: 'reply_agent',
        at: [13, '19:34'],
        text: 'It can: it takes shocks up to 16 g and weighs 18 g. Would Friday at noon in Lagos suit you for a call?',
      },
      { type: 'received', at: [12, '06:12'], text: 'Friday noon. I will bring the motorcycle people.' },
      {
        type: 'manual',
        at: [1, '10:15'],
        isDraft: true,
        hasTask: true,
        text: 'Thank you for Friday, Adébísí. The two loggers for the motorcycles leave today; which address should they go to?',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'kavitha.subramanian',
    turns: [
      {
        type: 'manual',
        at: [11, '06:40'],
        text: 'Hello Kavitha, do your vaccine boxes from Chennai carry a logger each, or is there one per van?',
      },
      {
        type: 'received',
        at: [2, '05:55'],
        text: 'வணக்கம். ஒரு வண்டிக்கு ஒன்று மட்டுமே. விவரங்களை அனுப்புங்கள்.',
        isUnread: true,
      },
    ],
  },
  {
    campaign: 'linkedin',
    with: 'yoko.sasaki',
    turns: [
      {
        type: 'campaign',
        at: [6, '08:05'],
        text: '佐々木様、はじめまして。冬の道内配送で、牛乳が凍ってしまうことはございませんか。',
      },
      {
        type: 'received',
        at: [5, '23:48'],
        text: 'ご連絡ありがとうございます。毎年一月に数回ございます。記録の見本を拝見できますか。',
        isUnread: true,
      },
      {
        type: 'reply_agent',
        at: [5, '23:52'],
        isDraft: true,
        text: '佐々木様、ありがとうございます。見本をお送りいたします。零下の時間は二ページ目にございます。',
      },
    ],
  },
  {
    campaign: 'linkedin',
    with: 'xiaotong.wang',
    turns: [
      {
        type: 'campaign',
        at: [7, '07:10'],
        text: '王总监您好，请问贵公司青岛到西安的冷链线路，目前是整车测温还是逐箱测温？',
      },
      { type: 'received', at: [7, '07:58'], text: '整车。逐箱的成本一直下不来，你们怎么收费？' },
      {
        type: 'manual',
        at: [7, '08:20'],
        text: '按月租用，每台每月约十八元，读取器免费。可以先免费试用两周。',
      },
      { type: 'received', at: [1, '02:31'], text: '可以，先试十台。', isUnread: true },
      {
        type: 'manual',
        at: [1, '07:45'],
        isDraft: true,
        hasTask: true,
        text: '好的，王总监，十台本周寄出。请告知收货地址和联系人。',
      },
    ],
  },
  {
    campaign: 'linkedin',
    with: 'eleni.papadopoulou',
    turns: [
      {
        type: 'campaign',
        at: [8, '09:00'],
        text: 'Καλημέρα σας! Τα φορτία για τα νησιά περιμένουν συχνά στο λιμάνι; Ίσως μπορούμε να βοηθήσουμε.',
      },
      {
        type: 'received',
        at: [8, '11:26'],
        text: 'Καλημέρα! Τον Αύγουστο έως και τρεις ώρες. Στείλτε μου περισσότερα, παρακαλώ.',
      },
    ],
  },
  {
    campaign: 'linkedin',
    with: 'anita.deshpande',
    turns: [
      {
        type: 'campaign',
        at: [3, '06:15'],
        text: 'नमस्ते अनीता जी, क्या आपके दूध के टैंकरों का तापमान रास्ते में भी दर्ज होता है?',
      },
      {
        type: 'received',
        at: [1, '06:50'],
        text: 'नमस्ते। केवल चढ़ाते और उतारते समय। क्या आप कीमत बता सकते हैं?',
        isUnread: true,
      },
    ],
  },
  {
    campaign: 'seafood',
    with: 'shona.mackellar',
    tags: ['Interested'],
    turns: [
      {
        type: 'manual',
        at: [9, '05:30'],
        text: "G'day Shona, how long do the prawns for Brisbane sit on the tarmac?",
      },
      { type: 'received', at: [9, '06:02'], text: 'Depends who you ask. That is the problem.' },
      {
        type: 'manual',
        at: [9, '06:10'],
        isDraft: true,
        text: 'Then let us ask the prawns. Ten loggers, two weeks, no charge?',
      },
    ],
  },
  {
    campaign: 'seafood',
    with: 'hongnhung.nguyen',
    turns: [
      {
        type: 'manual',
        at: [4, '03:25'],
        text: 'Chào chị Nhung, container đi Rotterdam của chị có bao giờ bị báo lệch nhiệt độ không ạ?',
      },
      {
        type: 'received',
        at: [4, '04:40'],
        text: 'Chào bạn, năm ngoái có hai lần. Bạn gửi tài liệu cho mình nhé.',
      },
    ],
  },
  {
    campaign: 'linkedin',
    with: 'giorgos.karagiannis',
    turns: [
      {
        type: 'campaign',
        at: [5, '09:10'],
        text: 'Καλημέρα κύριε Καραγιάννη! Σε ποιο σκέλος της διαδρομής δεν γνωρίζετε τη θερμοκρασία;',
      },
    ],
  },
  {
    campaign: 'linkedin',
    with: 'nino.kapanadze',
    turns: [
      {
        type: 'received',
        at: [2, '10:17'],
        text: 'გამარჯობა! ეს მოწყობილობა მთაშიც მუშაობს?',
        isUnread: true,
      },
    ],
  },
]

export const globexLinkedin: LinkedinConversation[] = [
  {
    campaign: 'routes',
    with: 'lukasz.wojtowicz',
    turns: [
      {
        type: 'manual',
        at: [20, '09:00'],
        text: 'Hello Łukasz, how many rounds do you plan by hand in Gdańsk?',
      },
      { type: 'received', at: [19, '08:12'], text: 'All of them. I like pencils.', isUnread: true },
    ],
  },
]
