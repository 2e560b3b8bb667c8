/** Starts the product with an embedded PostgreSQL, for demo and development. */
@NullMarked
package dev.fairlead.launcher;

import org.jspecify.annotations.NullMarked;
