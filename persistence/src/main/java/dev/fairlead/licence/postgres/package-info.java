/** Licences on PostgreSQL. */
@NullMarked
package dev.fairlead.licence.postgres;

import org.jspecify.annotations.NullMarked;
