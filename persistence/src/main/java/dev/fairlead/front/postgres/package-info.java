/** Front clusters on PostgreSQL. */
@NullMarked
package dev.fairlead.front.postgres;

import org.jspecify.annotations.NullMarked;
