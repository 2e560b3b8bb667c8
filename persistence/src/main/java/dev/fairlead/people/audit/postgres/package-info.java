/** The audit log in PostgreSQL. */
@NullMarked
package dev.fairlead.people.audit.postgres;

import org.jspecify.annotations.NullMarked;
