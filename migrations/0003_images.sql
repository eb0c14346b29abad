-- Uploaded images.

create table images (
    id bigint generated always as identity primary key,
    -- Contains the hash of the content, so that each image is stored once.
    name text not null unique,
    -- Size of all its files together.
    bytes bigint not null,
    created_at timestamptz not null,
    -- Time since which nothing shows the image; NULL while something does. Unused images are deleted after a day.
    unused_since timestamptz
);
create index images_unused_since_idx on images (unused_since) where unused_since is not null;

-- Users who uploaded an image. It counts towards the quota of each of them.
create table image_owners (
    id bigint generated always as identity primary key,
    user_id bigint not null references users on delete cascade,
    image_id bigint not null references images on delete cascade,
    -- Alternative text.
    alt text not null,
    added_at timestamptz not null,
    constraint image_owners_user_id_image_id_key unique (user_id, image_id)
);
create index image_owners_image_id_idx on image_owners (image_id);

-- Posts and profiles that show an image which their author uploaded. Images of other users are not recorded: they may be shown, but
-- their owners may delete them.
create table image_uses (
    image_id bigint not null references images,
    owner_id bigint not null references users,
    post_id bigint references blog_posts on delete cascade,
    user_id bigint references users on delete cascade,
    constraint one_place check (num_nonnulls(post_id, user_id) = 1)
);
create unique index image_uses_post_id_image_id_key on image_uses (post_id, image_id) where post_id is not null;
create unique index image_uses_user_id_image_id_key on image_uses (user_id, image_id) where user_id is not null;
create index image_uses_image_id_idx on image_uses (image_id);
