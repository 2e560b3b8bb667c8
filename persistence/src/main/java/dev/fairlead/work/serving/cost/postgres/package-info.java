/** Cost of model services on PostgreSQL. */
@NullMarked
package dev.fairlead.work.serving.cost.postgres;

import org.jspecify.annotations.NullMarked;
