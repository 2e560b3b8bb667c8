/** The price book in PostgreSQL. */
@NullMarked
package dev.fairlead.money.price.postgres;

import org.jspecify.annotations.NullMarked;
