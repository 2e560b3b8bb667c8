/** Starts the product with an embedded PostgreSQL beside it, for demo and development. */
@NullMarked
package dev.fairlead.launcher;

import org.jspecify.annotations.NullMarked;
