import { expect, test } from 'vitest'
import { findOptOutRequest } from './opt-out-request.ts'

const texts = (lines: string): string[] => lines.trim().split('\n')

test.each(
  texts(`
stop
STOP!
unsubscribe
unsubscribe please
Please unsubscribe me, thanks.
Hi Ada, please unsubscribe me
Not interested, please remove me from your list
No thanks, please take me off your list.
We are not interested. Please do not contact us again.
No. Stop emailing me.
Please stop sending me emails, I am not interested.
Please stop emailing me and remove me from your list
Stop spamming me
Don't email me again
Don’t ever contact me again
Never contact us again!
Please do not send me any more emails
No further messages please
Remove me from your mailing list immediately!
Please remove my email address from your database
Please remove bob@bone.example from your list.
I would like to be removed from your list
I wish to unsubscribe
I do not wish to receive any more emails from you
Stop contacting me. This is spam.
please unsubscribe. I never signed up for this
Kindly remove us from your mailing list, we are not interested in your services
Please remove me from your list! Thank you and have a nice day
Please opt me out of all future communications
Leave me alone
abmelden
Bitte keine weiteren E-Mails mehr
Bitte löschen Sie meine Daten
Bitte nehmen Sie mich aus dem Verteiler.
Bitte aus dem Verteiler nehmen
Kein Interesse, bitte löschen Sie mich aus Ihrem Verteiler
Schreiben Sie mir nicht mehr
Merci de ne plus me contacter
Bonjour, veuillez me désinscrire de votre liste. Cordialement
Je ne suis pas intéressé, merci de m'enlever de votre liste
Retirez-moi de la liste svp
Je ne souhaite plus recevoir vos mails
Por favor, no me escriban más
Quiero darme de baja
No envíen más correos
Não quero receber mais e-mails
Não me envie mais mensagens
Por favor, remova-me da lista
Non scrivetemi più
Non inviatemi più mail, grazie
Cancellatemi dalla lista
Graag uitschrijven
Haal mij van de lijst
Ta bort mig från er lista
Sluta mejla
Fjern meg fra listen, takk
Slet mig
Poistakaa minut listalta
Wypisz mnie z listy
Proszę o usunięcie z bazy
Отпишите меня
Больше не пишите мне
Удалите меня из рассылки, спасибо
Lütfen listeden çıkarın
Prosím odhlaste mě
配信停止をお願いします
今後の配信を停止してください
请取消订阅
請不要再發送郵件
수신거부 부탁드립니다`),
)('finds an opt-out request: %s', text => {
  expect(findOptOutRequest(text)).toBeTypeOf('string')
})

test.each(
  texts(`
Stop! Tell me more.
Stop, I need this. Call me
Stop. Now call me back.
Stop by Thursday
Stop sending samples. Send the invoice
Stop the campaign you run and hire us
Please remove the logo.
Remove it from the offer
Remove me as contact and take Carl
Please remove me from cc and talk to Carl
Delete this.
Do not delete my data!
take it
Could you take me out?
Can you take out the last item
Drop me a mail
Cancel Tuesday, take Wednesday
Cancel my subscription at Rival for me. When can we talk?
End of month.
Opt in please
Why should I unsubscribe?
How do I unsubscribe from your competitor?
Unsubscribe from our old vendor first, then we talk.
Don't email. Call me
Don't send the contract to me, send it to Carl
Do not send me the data today
don't send any more emails until June, then call me
Do not send an email, call me: +44 20 7946 0018
Do not contact me before June
Please do not contact Carl, contact me
Please never email Carl
don't write it in the system
No, thanks for asking
Not interested.
This is spam.
I do not want to receive the offer by mail, call me
Abmelden kann ich mich nicht, der Link geht nicht. Was kostet es?
Bitte nehmen Sie mich auf die Liste
Nehmen Sie mich mit zum Termin
Bitte löschen Sie mich nicht
Löschen Sie bitte Position 3 und senden Sie das Angebot neu
Entfernen Sie mich nicht vom Verteiler, ich war nur krank
Schreiben Sie mir nicht vor Montag
Kontaktieren Sie mich nicht per Mail, sondern telefonisch
Supprimez la ligne 3 du devis svp
Retirez le logo
No me escriban a este correo, usen bob@spain.example
No me envíen la lista
Baja el precio y hablamos
Remover o item 3
Cancellate la riunione di martedì
Non mandatemi la lista
Rimuovere la riga 4
Afmelden lukt niet maar ik wil wel een offerte
Avsluta mötet tidigare?
Avmeld Kari, jeg kommer i stedet
Usuń proszę pozycję 3 z oferty
Wypisz mi ofertę na 3 osoby
Удалите пункт 3
Отмена встречи во вторник
Не пишите сюда, пишите на bob@ru.example
请不要再等,我们决定购买`),
)('finds no opt-out request in a reply: %s', text => {
  expect(findOptOutRequest(text)).toBeUndefined()
})

test.each([
  'unsubscribe\n\nBob Bone\nCEO, Bone Ltd\n+44 20 7946 0018',
  'Please unsubscribe.\n\nRegards,\nBob Bone\nhead of sales and much more at Bone Ltd',
  'Please unsubscribe me. Best regards, Bob',
  'Hello Ada,\n\nplease stop emailing me.\n\nMit freundlichen Grüßen\nBob Bone, Leiter des Vertriebs',
])('allows a signature below the request: %j', text => {
  expect(findOptOutRequest(text)).toBeTypeOf('string')
})

test('finds no request with a name above or a further sentence below', () => {
  expect(findOptOutRequest('Bob Bone\nstop')).toBeUndefined()
  expect(findOptOutRequest('stop\nI will call you')).toBeUndefined()
  expect(findOptOutRequest('stop\nThe Offer Is Too Expensive')).toBeUndefined()
})

test('finds no request in a long text', () => {
  expect(findOptOutRequest(`stop${' '.repeat(316)}`)).toBe('stop')
  expect(findOptOutRequest(`stop${' '.repeat(317)}`)).toBeUndefined()
  expect(findOptOutRequest('')).toBeUndefined()
})
