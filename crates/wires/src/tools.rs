//! Every name that some host uses for the same tool (D17).
