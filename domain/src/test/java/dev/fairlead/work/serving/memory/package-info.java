/** In-memory implementations of the ports of model services. */
@NullMarked
package dev.fairlead.work.serving.memory;

import org.jspecify.annotations.NullMarked;
