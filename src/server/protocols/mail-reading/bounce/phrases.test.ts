import { describe, expect, it } from 'vitest'
import { fallbackPhrases, type ReasonPhrases, specificPhrases } from './phrases.ts'

/** Parses sample texts of servers, grouped by class and reason. They are in lower case, with @ for an address. */
const parseTable = (text: string): [meaning: string, sentences: string[]][] =>
  text
    .trim()
    .split(/\n\n+/)
    .map(block => {
      const [meaning, ...sentences] = block.split('\n')
      return [meaning!.slice(2), sentences]
    })

const specific = parseTable(`
# soft: mailbox full
over quota
exceeds storage
exceeding the limits of allocation
exceeded its share of the disk
exceeded the local limit
the space has been used up
mailbox is full
mail box of this user is full
maildrop currently full
@ is almost full
@> too full
recipient, was full
mail dir is full
maildir, though, is full
folder are full
message store was full
your box is full
full mailbox
full mail box
mailbox full
mailbox is full
mailbox size limit
mail box size limit
out of space
out of quota
out of disk space
out of storage space
out of mail quota
disk full
disk is full
mailbox exceeds
mail box exceeds
insufficient disk
insufficient free disk
insufficient local storage space
not enough space
not have enough space
no space
no more free space
too many messages in it
storage limit
recipient storage full
mailbox ist voll
le compte est plein
sa messagerie est pleine
buzón lleno
la casilla está llena
a caixa postal está cheia
de mailbox is vol
skrzynka jest pełna
brevlådan är full
innboksen er full
收件人邮箱已满
信箱已滿
空间不足
메일함이 가득 찼습니다
용량 초과
postfach ist voll
postfach voll
speicherplatz
boîte pleine
boite aux lettres pleine
buzón lleno
buzón está muy lleno
casella piena
casella di posta piena
переполнен
квота
満杯

# soft: message too large
file too large
message too big
messages too large
attachments are too long
attachment is larger than allowed
mail exceeds the maximum
mail exceed our limit
body exceeding all of our length
message size exceeds
mail length limit
message size is too large
message length far too big
size exceeded
size limit exceeded
length limit exceeded
size limit
exceeded message size
exceed your mail size
exceeding the allowed message size
maximum size
maximum mail size
maximum message size
maximum allowed size
maximum allowed message size

# unknown: delivery program failed
x-unix; 75
command died
mailer error
child status
child exit status
"|/bin/prog
procmail: failed
pipe to |prog
delivery agent
returned non-zero
returned a nonzero code
returned nonzero

# unknown: malformed message
unsupported conversion to plain text
8-bit data in header
content type not supported
duplicate header
improper use of 8-bit
improper use of 8bit
mime complexity
mime headers
improperly-formatted
unnecessary base64
message mime headers too large

# policy: relaying denied
due to the following smtp relay error
that domain isn't in my list of allowed domains
not a gateway
relay denied
relaying denied
rellaying prohibited
relay access denied
relaying is not allowed
relay to this host refused
no relay
cannot relay
mail may relay
not permitted to relay
unable to do relay
unauthorized relay
unauthorised to relay
list of rcpthosts
list of allowed rcpthosts
we don't relay

# policy: sender not authenticated
please turn on smtp authentication
you must authenticate before sending
server requires authentication
ofr_405
lpn007_305
spf fail
dmarc policy
dkim signature is not valid
spf of that domain denied
dkim deny
sender id reject
senderid reject
domainkeys required
fail of spf
violates dmarc
per senderid
failed dkim
not by sender id
unauthenticated email from @
unauthenticated e-mail from @
unauthenticated mail from @

# policy: reverse DNS required
helo command rejected: host not found
ehlo rejected
helo name rejected
helo host rejected
reverse dns
no ptr here
rdns missing
fcrdns
mismatch ip
mismatched ip
mismatching client ip
cannot find your host
cannot resolve your long host
could not look up the client address
could not lookup your ip
client host cannot find
client host cannot be found
client hostname ip cannot be found
without a valid sender domain

# soft: rate limited or greylisted
trop de connexions ofr_104
greylisted
graylist
grey-listing in action
ip frequency limited
exceeded your messaging limits
server busy
hop count exceeded
too many hops
number of hops: 26
receiving mail at a rate
receiving mail too quickly
too many connections
too many concurrent connections
too many simultaneous smtp sessions
connection limit
connection rate limit
rate limit exceeded
rate limited exceeded
throttled
exceeded the max emails per hour

# policy: sender refused
post by non-member
members-only list
not member article from @
sender not pre-approved
badsendermx
sendernoa
email address is on senderfilterconfig list
denied by secumail valid-address-filter
emetteur invalide
empty email address
empty envelope senders not allowed
from: domain is invalid
fully qualified email address required
has an outgoing mail suspension
not a registered gateway user
returned mail not accepted here
use a different address or alias
sender domain is empty
acme.example is a dead domain
reject mail from @
server does not accept mail from acme.example
your access to submit messages has been rejected
sender has no a, aaaa, or mx dns records
your envelope sender domain must exist
sender must be local
sender verify failed
sender verification failed
blocked sender
sender rejected
senders denied
sender address not accepted
the sender of it doesn't exist
sender does not exist
sender does n't have
rejected sender
invalid envelope
unroutable sender
unrouteable the source
unrout sender
unauthorised sender
unauthorized sender
verify the email sender
verify e-mail sender
verify email sender
domain of sender
purported responsible
batv
backscatter
permission to post
not allowed to post
only accept mail from
only accepts messages from
groups.google
mail from @ rejected
mail from rejected
mail from @rejected

# unknown: account closed or suspended
the account is temporarily limited
account expired
mailbox unavailable or access denied
user account not activated
<bob> is now disabled with mta service
mailbox has been blocked due to inactivity
account blocked for inactivity
account disabled
account is disabled
mailbox locked
mail box was suspended
user(s) frozen
user suspended
user is currently temporarily disabled
recipient: disabled
inbox deactivated
account @ is disabled
account that you tried to reach is disabled
mailbox blocked for inactivity
disabled user
disabled mailbox
suspended mail box
invalid/inactive user
suspend the service
temporarily locked
temporary locked
administratively disabled
vdelivermail: account is
boite du destinataire archivee
extended inactivity
the user (disabled)
account name is so old that it is closed
address no longer active
closed old mail box
inactive mailbox
locked the account
domain is cancelled
domain is canceled
alias on hold
onhold
mail box is terminated
mailbox is terminated
@ terminated
@> out of service
@ since long ago terminated
@', terminated
temporarily disabled
temporarily and otherwise disabled

# unknown: refused by the recipient
message rejected due to user rules
not found recipient account
recipient preferences
due to recipient
user refused
refused by recipient
blocked by the recipient
resolver.rst.notauthorized
resolver.rst.not authorized
only accepting mail from
account is protected by
not accepting any mail
sms email
sms e-mail
refuse to receive
filter
filtered
filters
does not like recipient

# hard: moved
recipient no longer on server
user moved
user has moved
recipient is moved
mailbox moved
mail box moved
account have moved
@ moved
@> moved
has been replaced by @
mailbox owner has changed
mail box owner has changed
address changed
address has changed
no longer at acme
not our customer

# hard: domain accepts no mail
malformed name server reply
null mx
nullmx
indicated no smtp service
malformed or unexpected name server reply
domain does not accept mail
host doesn't receive mail
domain so and so doesn't accept any mail
server doesn't accept email
server doesn't accept e-mail
@ doesn't accept mail
@> doesn't accept any e-mail
does not accept mail
does not accept any mail
couldn't find a mail exchanger or ip
no mail exchanger
smtp protocol returned a permanent error

# hard: unknown host
host not found
host is unknown
host or domain name not found
unknown host
domain not found
domain name not found
host name does not exist
host name doesn't exist
domain so and so is invalid
no such domain
no mx record
mx records point to non-existent
mx records point to nonexistent
returned answer with no data
unroutable domain
unrouteable mail domain
unrouteable address
unroutable mail domain
domain must exist
name or service not known
nxdomain
couldn't find any host
all host address lookups failed permanently
bad domain
bad destination system
couldn't be found or is misspelled
dns domain does not exist
dns domain [acme]: it does not exist
illegal host
name server: not found
name server: acme: host not found

# hard: unknown user
mailbox @ unavailable
bad-recipient
no matches to nameserver query
does not have a final email delivery point
the address couldn't be found. check for typos
unrecognised-or-name
unrecognized o/r name
adresse unbekannt
benutzer ist unbekannt
all recipient addresses rejected : access denied
user path no exist
command rcpt user <@> not ok
user not a member of domain
recipient cannot be verified
wrong user
wrong recipients
wrong address
email address is marked as invalid
destinatário inexistente
destinataire inexistant
benutzer hat hier kein konto
kein postfach
kein benutzer
okänd mottagare
ukjent mottaker
ukendt modtager
neznámý uživatel
böyle bir kullanıcı yok
존재하지 않는 주소
없는 계정
없는 사용자
usuário não existe
unknown user
unknown or illegal alias
unknown email
unknown e-mail
unknown mailbox
unknown mail box
user unknown
user in virtual table unknown
mailbox not known
mail box unbekannt
local part inconnu
local-part inconnu
@ unknown
@> unknown
@)', unknown
recipient: unknown
no such user
no such mailbox
no such mail box
no such local user
no such email here
no such e-mail
no user here
no user by that name
no such one for that user found
no mailbox here
no mail box found
no such mail user account here by that name
no account with the given name exist
user does not exist
user does n't exist
user doesn't exist
user doesnt exist
user no longer exist
mailbox not found
mail box not found
e-mail not found
email not found
@ not listed
@> not listed
@: not listed
address of this old customer not valid
account not recognised
alias not be found
name not currently found
id do not have a mailbox
member does not have an account
mailbox unavailable
mail box unavailable
mailbox is currently unavailable
account not accepted
addressee undeliverable
recipients invalid
recipient was denied
address invalid
address is invalid
address incorrect
not email address
not an email address
not an e-mail addresses
not e-mail address
recipient rejected: user
recipients address rejected: access denied
recipient address rejected: invalid
recipients rejected: unknown
rejected recipient
rejected recipients
can't accept user
recipient refuses
not a valid user
not an existing account
not a very active customer
not an current mailbox
not a registered mail box
not a valid one of a mailbox
not a local member
not a working email
not a working e-mail
invalid user
invalid local forward
non-existent address
nonexistent name
nonexisting final
nonexist alias
bad mail box
bad mailbox
illegal email
incorrect e-mail
deactivated alias
accounts not exist
account not exist
user really not exist
not listed in directory
not found in our address book
not found in the public name table
unknown in table
unknown in virtual alias table
couldn't find user
couldn't find the recipient
isn't a valid
has left
have no mailbox
have no mail box
badrcptto
validrcptto
no valid recipients
no one at this
no longer accept mail
no longer accepts mail
missing home dir
in name directory
virtual user
p=nosuchuser
bad-mailbox
ofr_416
lpn_418
lpn123_416
answer=6596
mailnotfound
存在しません
見つかり
宛先不明
宛先がありません
宛先メールはありません
不存在
ist nicht bekannt
utilisateur inconnu
destinataire inconnu
destinataire invalide
nessun utente
sconosciuto
sconosciuta
destinatario errato
inesistente
nie istnieje
nie ma takiego
no such mail drop
no such maildrop
doesn't handle mail for
address_not_found
recipient not allowed
usuario desconocido
usuario no existe
onbekende gebruiker
existiert nicht
n'existe pas
non esiste
не существует
не найден
нет такого

# unknown: virus
a virus
infected
trojan

# policy: rejected as spam
rejected for possible spam/virus content
dt:spm
wegen spamverdacht
ofr_506
lpn123_500
spam
anti-spam
antispam
spammy
spamtrap
unsolicited
ube
uce
junk
bulk
phish
cloudmark
content rejected
content is blocked
content was refused
our filter and its content filter
message filtered
rejected content
rejecting message content
mail content
mail mail content
message content
pattern detection
listed at our
our system has detected
denied content
blocked as bad content

# policy: blocked or bad reputation
invalid ip for sending mail of domain
server access to this host forbidden by your ip
server ip listed as abusive
service permits 2 unverifyable sending ips
ofr_103
blacklist
black-list
black list
blocklist
block-list
block list
deny list
denylist
deny-list
rbl
dnsbl
dnsbls
spamhaus
reputation
banned
dialup
dial-up
dynamic ip
blocked using
is blocked
was blocking
message blocked
blocked your
client rejected
client, you are barred
helo denied
ip: refused by us
your host not welcome
you're banned
mta disallowed
connection (from it) disallowed
mail from ip not
message from ip deferred
messages from ip weren't
messages from ip temporarily deferred
user complaints
unexpected volume
access denied
refused to talk
invalid helo
email is redundant
e-mail is redundant
access from blocked
access from there is blocked
no access from
not accept mail from
not accepting mail from
not currently accepting mail from
confirm this mail
go away
`)

const fallback = parseTable(`
# hard: unknown user
recipient rejected
recipient address rejected
recipient rejected.
recipient rejected (in reply
recipient rejected.(in reply
does not exist
doesn't exist
not exist
not exists

# policy: policy
not accepting mail with embedded images
messages with multiple addresses
administrative prohibition
policy
policies
security reasons
prohibited
not authorized
not authorised
unauthorized
un-authorised
un authorized
not-authorized
unauthenticated
auth required
authrequired
not permitted
restricted
requires tls
require tls
requires you to authenticate
require authentication
tls required
authentication failed
authenticate fail
verification invalid
attachment
attachments
illegal attachment
executable
member only
members-only
member-only
members only
not subscribed
captcha
organizational
organisational
rfc 822
rfc2822
rfc 5322
non-compliant
noncompliant
multiple from header
multiple lines of from: header
missing header
invalid message-id
no date header
missing the from header
header error
headers are not
access denied
access is denied
not accept mail from
not accepted from
not accepting it all from

# soft: network
timeout
time out
timed out
timed-out
time-out
expired
too old
connection refused
connection to the host lost
conversation was reset
lost connection
no route
network
too many hops
loop
duplicated message-id
retry
deferred
delay
try again
temporar
not connect
not be contact
could not connect
could not contact
did not accept connect
did not accept our contact
did not accept contact
giving up
delivery attempts
delivery: 7 attempts
deliver attempts
deliver, after attempts
delivering it: attempts
socket error
undelivered for
for 5 minutes
for over 15 minutes
for more than 5 minutes
5 days
1 day
12 hours
2 hour
connect to
in the queue
could not be found
resolve route
find a gateway
not respond

# soft: server busy or broken
too many
rate limit
limit exceeded
too busy
system error
local error
internal error
internal server error
internal system error
resources
service unavailable
service currently unavailable
overload
ldap
out of memory
i/o error
config error
configuration error
misconfigured
queue file
slower
`)

const getReason = (groups: readonly ReasonPhrases[], sentence: string): string | undefined => {
  const group = groups.find(({ phrases }) => phrases.some(phrase => phrase.test(sentence)))
  return group && `${group.class}: ${group.reason}`
}

describe.each(specific)('specific phrases for "%s"', (meaning, sentences) => {
  it.each(sentences)('match %s', sentence => expect(getReason(specificPhrases, sentence)).toBe(meaning))
})

describe.each(fallback)('fallback phrases for "%s"', (meaning, sentences) => {
  it.each(sentences)('match %s', sentence => expect(getReason(fallbackPhrases, sentence)).toBe(meaning))
})

it.each([
  'hello',
  'quotted',
  'user is fully known',
  'security suite',
  'the mail delivery agent at',
  'security gateway',
  'a message mime',
  'three',
])('no phrase matches: %s', text => {
  expect(getReason([...specificPhrases, ...fallbackPhrases], text)).toBeUndefined()
})
