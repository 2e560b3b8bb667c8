/** The newest events, for readers in other features. */
@NullMarked
package dev.fairlead.work.relay.service.spi;

import org.jspecify.annotations.NullMarked;
