/** Volumes of projects on PostgreSQL. */
@NullMarked
package dev.fairlead.data.volume.postgres;

import org.jspecify.annotations.NullMarked;
