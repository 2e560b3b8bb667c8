/** Questions to the planner about the whole fleet. */
@NullMarked
package dev.fairlead.work.placement.web;

import org.jspecify.annotations.NullMarked;
