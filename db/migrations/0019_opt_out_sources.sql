-- An entry tells who or what put it on the list; the words for it have changed since the table was made.
comment on column opt_outs.source is
  'api, cli, import, bounce, or what the person did: reply, complaint, unsubscribe_link, unsubscribe_mail';
