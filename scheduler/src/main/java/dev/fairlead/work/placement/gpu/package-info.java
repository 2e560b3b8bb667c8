/** GPUs of one node: the free amount of each device, and the devices that a member uses. */
@NullMarked
package dev.fairlead.work.placement.gpu;

import org.jspecify.annotations.NullMarked;
