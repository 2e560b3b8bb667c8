/** Documents of the configuration on PostgreSQL. */
@NullMarked
package dev.fairlead.config.postgres;

import org.jspecify.annotations.NullMarked;
