/** Tenants and projects in PostgreSQL. */
@NullMarked
package dev.fairlead.tenant.postgres;

import org.jspecify.annotations.NullMarked;
