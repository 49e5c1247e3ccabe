#!/usr/bin/env python3
"""TensorFlow 2.21, tf.nn.softmax on the CPU in float32 (by oneDNN): a NaN does not reach the other elements of its row, which
are 0, where every element of the row is NaN. OpenVINO does the same; PyTorch and JAX do not.
"""
import tensorflow as tf

x = [1.0, 2.0, float("nan"), 4.0, 5.0, 6.0]
print(f"tf.nn.softmax({x})\n  got   {tf.nn.softmax([x]).numpy().tolist()[0]}\n"
      "  exact NaN in every element: the sum of exponentials is NaN")
