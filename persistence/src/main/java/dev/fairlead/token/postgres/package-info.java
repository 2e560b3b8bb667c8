/** API tokens in PostgreSQL. */
@NullMarked
package dev.fairlead.token.postgres;

import org.jspecify.annotations.NullMarked;
