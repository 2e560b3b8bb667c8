/** Interface of model services for supervisors. */
@NullMarked
package dev.fairlead.work.serving.service.spi;

import org.jspecify.annotations.NullMarked;
