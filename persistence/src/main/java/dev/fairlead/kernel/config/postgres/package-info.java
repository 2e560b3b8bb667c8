/** Documents of the configuration on PostgreSQL. */
@NullMarked
package dev.fairlead.kernel.config.postgres;

import org.jspecify.annotations.NullMarked;
