//! The forecast against every order, tried one sync at a time on whole states; and the cases that are easy to get wrong.

mod cases;
pub(crate) mod generate;
pub(crate) mod orders;
