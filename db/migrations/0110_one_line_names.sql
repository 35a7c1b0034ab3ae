-- Names become headers of mails, and were stored with line breaks where a caller sent some: such a mail was refused
-- whenever it was written. From here on they are refused on their way in.
alter table reps no force row level security;
alter table mailboxes no force row level security;
alter table persons no force row level security;

update reps set name = regexp_replace(name, '[[:cntrl:]]+', ' ', 'g') where name ~ '[[:cntrl:]]';

update mailboxes set sender_name = regexp_replace(sender_name, '[[:cntrl:]]+', ' ', 'g')
 where sender_name ~ '[[:cntrl:]]';

update persons
   set first_name = regexp_replace(first_name, '[[:cntrl:]]+', ' ', 'g'),
       last_name = regexp_replace(last_name, '[[:cntrl:]]+', ' ', 'g')
 where first_name ~ '[[:cntrl:]]' or last_name ~ '[[:cntrl:]]';

alter table reps force row level security;
alter table mailboxes force row level security;
alter table persons force row level security;
