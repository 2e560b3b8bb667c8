/** API tokens in PostgreSQL. */
@NullMarked
package dev.fairlead.people.token.postgres;

import org.jspecify.annotations.NullMarked;
