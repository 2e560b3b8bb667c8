/** The price book in PostgreSQL. */
@NullMarked
package dev.fairlead.price.postgres;

import org.jspecify.annotations.NullMarked;
