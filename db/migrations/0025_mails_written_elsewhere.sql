-- What a rep writes to a prospect in another program is found in the Sent folder, and is taken once like all that comes in.

alter table received_mails
  drop constraint received_mails_kind_check,
  add constraint received_mails_kind_check
      check (kind in ('reply', 'auto_reply', 'unsubscribe', 'bounce', 'complaint', 'own'));
