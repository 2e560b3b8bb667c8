/**
 * What every store on PostgreSQL needs: statements by name, rows as JSON, tenant wall, roles,
 * changes.
 */
@NullMarked
package dev.fairlead.postgres;

import org.jspecify.annotations.NullMarked;
