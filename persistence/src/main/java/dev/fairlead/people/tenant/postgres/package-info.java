/** Tenants and projects in PostgreSQL. */
@NullMarked
package dev.fairlead.people.tenant.postgres;

import org.jspecify.annotations.NullMarked;
