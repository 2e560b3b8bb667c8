/** Ports of this feature that other features of the same layer call. */
@NullMarked
package dev.fairlead.work.job.web.spi;

import org.jspecify.annotations.NullMarked;
