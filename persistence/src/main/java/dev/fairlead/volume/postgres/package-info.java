/** Volumes of projects on PostgreSQL. */
@NullMarked
package dev.fairlead.volume.postgres;

import org.jspecify.annotations.NullMarked;
