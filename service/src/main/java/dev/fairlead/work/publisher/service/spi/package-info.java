/** The newest events, for readers in other features. */
@NullMarked
package dev.fairlead.work.publisher.service.spi;

import org.jspecify.annotations.NullMarked;
