/** Jobs that do not use their GPUs, over HTTP. */
@NullMarked
package dev.fairlead.money.efficiency.web;

import org.jspecify.annotations.NullMarked;
