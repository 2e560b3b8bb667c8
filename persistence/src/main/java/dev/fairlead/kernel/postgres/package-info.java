/**
 * Common parts of all stores on PostgreSQL: statements by name, rows as JSON, tenant isolation,
 * roles, changes.
 */
@NullMarked
package dev.fairlead.kernel.postgres;

import org.jspecify.annotations.NullMarked;
