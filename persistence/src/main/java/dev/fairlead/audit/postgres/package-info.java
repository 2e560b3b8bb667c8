/** The audit log in PostgreSQL. */
@NullMarked
package dev.fairlead.audit.postgres;

import org.jspecify.annotations.NullMarked;
