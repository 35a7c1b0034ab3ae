import type { EmailConversation } from './email-conversations.ts'

export const internationalConversations: EmailConversation[] = [
  {
    campaign: 'kuehlkettentag',
    with: 'friederike.moehring',
    tags: ['Meeting booked'],
    turns: [
      {
        type: 'received',
        at: [80, '08:21'],
        body: `Guten Tag Frau Lindqvist,

gern. Uns geht es vor allem um die Übergabe in Hannover: Dort stehen die Paletten bis zu vierzig Minuten auf der Rampe, und niemand will es gewesen sein.

Mittwoch um 14 Uhr?

Friederike Möhring`,
      },
      {
        type: 'manual',
        at: [80, '09:02'],
        body: `Guten Tag Frau Möhring,

Mittwoch um 14 Uhr passt gut, ich rufe Sie an. Ich bringe einen Bericht von einer Rampe mit, auf der es dreiundvierzig Minuten waren.

Mia Lindqvist`,
      },
      { type: 'received', at: [80, '09:40'], body: 'Dreiundvierzig! Dann bis Mittwoch.' },
    ],
  },
  {
    campaign: 'kuehlkettentag',
    with: 'joerg.hallerbach',
    turns: [
      {
        type: 'received',
        at: [79, '06:58'],
        kind: 'unsubscribe',
        body: 'Danke, aber wir messen seit 1962 mit dem Daumen. Bitte schreiben Sie mir nicht mehr.\n\nJ. Hallerbach',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'etienne.lacroix-dufour',
    tags: ['Interested'],
    turns: [
      {
        type: 'received',
        at: [8, '13:37'],
        body: `Bonjour,

La décision est la mienne, et je la prends aujourd'hui au téléphone, souvent un vendredi soir. Votre rapport est-il recevable lors d'une inspection, ou faut-il encore une signature à la main ?

Étienne Lacroix-Dufour`,
      },
      {
        type: 'manual',
        at: [7, '08:10'],
        body: `Bonjour Monsieur Lacroix-Dufour,

Le rapport est signé électroniquement et horodaté au moment de la lecture ; aucun de nos clients n'a dû y ajouter de signature. Je peux vous mettre en relation avec l'un d'eux, à Grenoble.

Bien à vous`,
      },
      {
        type: 'received',
        at: [2, '16:45'],
        body: `Volontiers pour Grenoble. Et faites-moi, s'il vous plaît, une proposition pour 60 enregistreurs.

É. L.-D.`,
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'begona.iniguez',
    tags: ['Not now'],
    turns: [
      {
        type: 'received',
        at: [11, '10:18'],
        body: 'Hola:\n\nAhora estamos en plena auditoría y no puedo pensar en otra cosa. ¿Me escribe en marzo?\n\nBegoña Íñiguez',
      },
      {
        type: 'manual',
        at: [11, '11:47'],
        body: 'Hola, Begoña:\n\nClaro que sí. Le escribo en marzo, y mucha suerte con la auditoría.\n\nUn saludo',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'ximena.zuniga',
    tags: ['Technical'],
    turns: [
      {
        type: 'received',
        at: [6, '18:22'],
        body: `Buenas tardes:

Nuestros envíos cruzan la sierra y pasan horas sin señal. ¿El registrador guarda los datos o los pierde?

Ximena Zúñiga`,
      },
      {
        type: 'manual',
        at: [1, '12:40'],
        isDraft: true,
        body: `Buenas tardes, Ximena:

Los guarda: hasta 16 000 lecturas, unos 110 días con una lectura cada diez minutos. La señal solo hace falta al llegar.

¿Le mando dos para la próxima ruta?`,
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'haeun.kim',
    tags: ['Interested'],
    turns: [
      {
        type: 'received',
        at: [7, '01:14'],
        body: '안녕하세요.\n\n보고서를 한국어로도 받을 수 있을까요? 저희 감사팀은 영어 문서를 따로 번역해야 합니다.\n\n김하은 드림',
      },
      {
        type: 'manual',
        at: [7, '09:26'],
        body: '안녕하세요, 김하은 팀장님.\n\n네, 보고서는 한국어로 출력됩니다. 견본을 보내 드릴까요?\n\n감사합니다.',
      },
      {
        type: 'received',
        at: [6, '00:40'],
        body: '네, 부탁드립니다. 백신 운송 기준 2–8 °C 견본이면 좋겠습니다.',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'layla.alkhatib',
    turns: [
      {
        type: 'received',
        at: [5, '07:35'],
        body: 'مرحباً،\n\nهل يعمل الجهاز عند درجة حرارة خارجية تبلغ ٤٨ مئوية؟ شاحناتنا تقف طويلاً عند الحدود.\n\nليلى الخطيب',
      },
      {
        type: 'manual',
        at: [5, '09:05'],
        delivery: ['unconfirmed', 'the mail server did not answer after the message was handed over'],
        body: 'مرحباً ليلى،\n\nنعم، يعمل الجهاز حتى ٧٠ درجة مئوية. يسعدني أن أرسل لك جهازين لتجربتهما على الحدود.\n\nمع التحية',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'yael.bendavid',
    turns: [
      {
        type: 'received',
        at: [2, '11:09'],
        body: 'שלום,\n\nההחלטה אצלי. כמה זמן לוקח להפיק דוח מרגע שהחבילה נפתחת?\n\nיעל בן־דוד',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'oksana.hnatiuk',
    tags: ['Technical'],
    turns: [
      {
        type: 'received',
        at: [9, '12:03'],
        body: `Добрий день!

Наші машини годинами стоять на кордоні з вимкненим двигуном. Чи видно у звіті, коли саме відчиняли двері?

Оксана Гнатюк`,
      },
      {
        type: 'manual',
        at: [9, '13:30'],
        body: 'Добрий день, пані Оксано!\n\nТак: датчик світла записує кожне відчинення з точністю до хвилини. Надішлю вам приклад звіту.',
      },
      {
        type: 'manual',
        at: [8, '08:00'],
        delivery: ['failed', '552 5.3.4 Message size exceeds fixed limit'],
        body: 'Пані Оксано, ось обіцяний приклад звіту (додаток на 31 МБ).',
      },
    ],
  },
  {
    campaign: 'brewers',
    with: 'joao.vasconcelos',
    tags: ['Customer'],
    turns: [
      {
        type: 'received',
        at: [42, '10:31'],
        body: 'Bom dia,\n\nO nosso vinho aguenta muito, mas não uma tarde de agosto em Salamanca. Mande-me então o relatório.\n\nJoão',
      },
      {
        type: 'manual',
        at: [42, '11:15'],
        body: 'Bom dia, João,\n\nSegue um exemplo: repare na paragem das 15h20. Quando quiser, fazemos o mesmo com o vosso próximo camião.',
      },
      {
        type: 'received',
        at: [35, '09:04'],
        body: 'Convencido. Ficamos com vinte. Para onde mando a encomenda?',
      },
      {
        type: 'manual',
        at: [35, '09:50'],
        body: 'Que boa notícia! Basta responder a este email com a morada de entrega; os vinte saem amanhã.',
      },
    ],
  },
  {
    campaign: 'brewers',
    with: 'giulia.dalessio',
    tags: ['Not now'],
    turns: [
      {
        type: 'received',
        at: [43, '14:12'],
        body: 'Gentili signori,\n\nil gelato lo vendiamo tutto entro venti metri dal laboratorio. Ma grazie del pensiero!\n\nGiulia',
      },
    ],
  },
  {
    campaign: 'brewers',
    with: 'wouter.decaluwe',
    turns: [
      {
        type: 'received',
        at: [41, '08:45'],
        body: 'Dag, kunnen jullie ook trillingen meten? Onze flessen schuimen.\n\nWouter',
      },
      {
        type: 'reply_agent',
        at: [41, '08:49'],
        body: 'Dag Wouter,\n\nJa: elke logger meet ook schokken, tot 16 g. In het rapport ziet u per rit waar het schudde.\n\nZal ik er twee opsturen?',
      },
    ],
  },
  {
    campaign: 'brewers',
    with: 'yating.lin',
    turns: [
      {
        type: 'received',
        at: [40, '03:27'],
        body: '您好：\n\n茶葉怕的不是熱，而是潮。請問貴公司的記錄器能同時記錄濕度嗎？\n\n林雅婷',
      },
      {
        type: 'manual',
        at: [40, '09:11'],
        body: '林經理您好：\n\n可以，另有同時記錄溫度與相對濕度的型號，價格相同。是否方便寄兩台到台中給您試用？',
      },
    ],
  },
  {
    campaign: 'seafood',
    with: 'ingrid.bjornstad',
    tags: ['Interested'],
    turns: [
      {
        type: 'received',
        at: [4, '07:20'],
        body: `Hei,

Vi mister et par paller i måneden mellom Ålesund og Hirtshals, og transportøren mener det er vår feil. Kan vi få låne noen loggere i to uker?

Ingrid Bjørnstad`,
      },
    ],
  },
]
