/** Operations in PostgreSQL. */
@NullMarked
package dev.fairlead.fleet.operation.postgres;

import org.jspecify.annotations.NullMarked;
