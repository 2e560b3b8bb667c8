/** Limits of tenants and projects in PostgreSQL. */
@NullMarked
package dev.fairlead.limit.postgres;

import org.jspecify.annotations.NullMarked;
