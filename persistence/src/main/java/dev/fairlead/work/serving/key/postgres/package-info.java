/** Keys of model services on PostgreSQL. */
@NullMarked
package dev.fairlead.work.serving.key.postgres;

import org.jspecify.annotations.NullMarked;
