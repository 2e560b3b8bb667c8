/** Nodes that break again and again, over HTTP. */
@NullMarked
package dev.fairlead.care.lemon.web;

import org.jspecify.annotations.NullMarked;
