// What the order of reading and writing costs, whatever is computed: segments of four f32 by their offsets, read and answered in
// several orders. Dense: a thread a segment, workgroups from the begin to the end. Strided: all threads go through the input together.
// Shares: each warp, or each block, has a stretch of its own.
//
//     nvcc -O3 -std=c++17 -arch=native -o target/order benches/peers/order.cu && target/order

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

enum Order { DENSE, STRIDED, WARPS, BLOCKS };

template <Order ORDER>
__global__ void answers(const float4* elements, const uint32_t* offsets, float* out, uint32_t segments) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    uint32_t first = thread, step = threads, end = segments;
    if (ORDER == WARPS) {
        const uint32_t each = segments / (threads / 32), warp = thread / 32;
        first = warp * each + thread % 32;
        end = (warp + 1) * each;
        step = 32;
    }
    if (ORDER == BLOCKS) {
        const uint32_t each = segments / gridDim.x;
        first = blockIdx.x * each + threadIdx.x;
        end = (blockIdx.x + 1) * each;
        step = blockDim.x;
    }
    for (uint32_t s = first; s < end; s += step) {
        const uint32_t begin = offsets[s], until = offsets[s + 1];
        const float4 x = elements[begin / 4];
        out[s] = until - begin == 4 ? (x.x + x.y) + (x.z + x.w) : 0;
    }
}

int main() {
    const uint32_t segments = 1u << 26;
    float4* elements;
    uint32_t* offsets;
    float* out;
    if (cudaMalloc(&elements, 16ull * segments) || cudaMalloc(&offsets, 4ull * (segments + 1)) || cudaMalloc(&out, 4ull * segments)) {
        fprintf(stderr, "this needs 1.6 GiB of a GPU's memory\n");
        return 1;
    }
    cudaMemset(elements, 0, 16ull * segments);
    std::vector<uint32_t> ends(segments + 1);
    for (uint32_t s = 0; s <= segments; s++) ends[s] = 4 * s;
    cudaMemcpy(offsets, ends.data(), 4ull * (segments + 1), cudaMemcpyHostToDevice);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    auto measure = [&](const char* order, uint32_t blocks, auto kernel) {
        float least = 1e9f;
        for (int k = 0; k < 8; k++) {
            cudaEventRecord(begin);
            kernel<<<blocks, 128>>>(elements, offsets, out, segments);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            least = std::min(least, ms);
        }
        printf("%s, %u blocks: %.0f us\n", order, blocks, least * 1e3f);
    };
    measure("dense", segments / 128, answers<DENSE>);
    for (uint32_t blocks : {2048u, 16384u, 131072u}) {
        measure("strided", blocks, answers<STRIDED>);
        measure("shares of warps", blocks, answers<WARPS>);
        measure("shares of blocks", blocks, answers<BLOCKS>);
    }
    return cudaGetLastError() != cudaSuccess;
}
