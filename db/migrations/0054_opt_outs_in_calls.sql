-- Somebody may say in a call that they want no more.
comment on column opt_outs.source is
  'api, cli, import, bounce, or what the person did: reply, complaint, unsubscribe_link, unsubscribe_mail, call';
