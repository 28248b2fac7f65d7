-- What people say of the whole place: the newest reviews of four stars and more with forty letters and more.
create index if not exists reviews_voices on reviews (submitted_at desc, id desc)
  where rating >= 4 and char_length(comment) >= 40;
