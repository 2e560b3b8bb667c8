/**
 * What every store on PostgreSQL needs: statements by name, rows as JSON, tenant wall, roles,
 * changes.
 */
@NullMarked
package dev.fairlead.kernel.postgres;

import org.jspecify.annotations.NullMarked;
