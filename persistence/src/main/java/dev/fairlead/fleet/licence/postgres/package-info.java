/** Licences on PostgreSQL. */
@NullMarked
package dev.fairlead.fleet.licence.postgres;

import org.jspecify.annotations.NullMarked;
