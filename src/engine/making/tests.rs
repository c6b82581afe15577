//! Every branch of the decision.
