"""TensorFlow: MultiWorkerMirroredStrategy reads TF_CONFIG and fits one linear model in all workers."""

import sys
from pathlib import Path

import tensorflow as tf
from case import CODE, FIRST, MODE, SAVED, STEPS, saved, say

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank, members = strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync
total = strategy.reduce("SUM", strategy.run(lambda: tf.constant(rank + 1)), axis=None)
say("sum", int(total), "of", members)
with strategy.scope():
    weights = tf.Variable(tf.zeros([4, 1]), aggregation=tf.VariableAggregation.MEAN)
    state = tf.train.Checkpoint(weights=weights)


@tf.function
def train(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ weights - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
    weights.assign_sub(0.3 * tape.gradient(loss, weights))  # the mean of all workers
    return loss


if MODE == "RESUMED":
    state.read(Path("checkpoint").read_text()).assert_consumed()
    say("resumed from", FIRST)
for step in range(FIRST, STEPS):
    x = tf.random.stateless_uniform([32, 4], seed=[step, rank])
    loss = strategy.reduce("MEAN", strategy.run(train, args=(x,)), axis=None)
    if step + 1 == SAVED:
        state.write(f"state-{rank}")
        saved(rank, lambda path: Path(path).write_text("state-0"))
say("loss", f"{float(loss):.5f}")
sys.exit(CODE if rank == members - 1 else 0)
