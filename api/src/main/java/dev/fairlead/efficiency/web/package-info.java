/** Jobs that do not use their GPUs, over HTTP. */
@NullMarked
package dev.fairlead.efficiency.web;

import org.jspecify.annotations.NullMarked;
