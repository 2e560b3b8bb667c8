/** What supervisors call of model services. */
@NullMarked
package dev.fairlead.work.serving.service.spi;

import org.jspecify.annotations.NullMarked;
