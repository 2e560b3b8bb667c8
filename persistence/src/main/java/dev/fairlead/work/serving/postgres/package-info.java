/** Model services on PostgreSQL. */
@NullMarked
package dev.fairlead.work.serving.postgres;

import org.jspecify.annotations.NullMarked;
