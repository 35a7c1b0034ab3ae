-- What a rep writes below each mail: plain text, or HTML when it holds tags.

alter table reps add column signature text;
